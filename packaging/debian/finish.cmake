# Runs after cpack has written the packages.
execute_process(COMMAND ${CPACK_CUSAFE_FINISH} ${CPACK_PACKAGE_FILES} COMMAND_ERROR_IS_FATAL ANY)
