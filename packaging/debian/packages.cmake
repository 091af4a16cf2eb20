# Debian packages, by `cpack` in the build folder: cusafe (the command), libcusafe (the runtime of checked programs),
# libcusafe-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR CuSafe)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "memory-safety sanitizer for CUDA")
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/debian/finish.cmake)
set(CPACK_CUSAFE_FINISH ${CMAKE_CURRENT_SOURCE_DIR}/debian/finish)
set(CPACK_PACKAGE_CONTACT "The CuSafe developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL tool library development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CUSAFE_LIB} ${CUSAFE_CPU})

set(CPACK_DEBIAN_TOOL_DESCRIPTION
  "Compiles and runs CUDA programs with checks. Reports out-of-bounds accesses,
use after free and other memory errors, on a GPU or without one.")
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME cusafe)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS
  "libcusafe (= ${PROJECT_VERSION}), clang-22, clang-tools-22, lld-22, python3-venv")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "libcusafe-dev, libomp-22-dev")

set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
  "The runtime of checked CUDA programs: the library that intercepts the CUDA
driver API, and a CUDA driver and runtime for machines without a GPU.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libcusafe)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)

set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "Files for CMake, pkg-config and linkers, and the JSON schema of reports.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcusafe-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libcusafe (= ${PROJECT_VERSION}), cusafe (= ${PROJECT_VERSION})")

# Debian's own documents of each package, which other installations do not have.
string(TIMESTAMP CUSAFE_PACKAGE_TIME "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, if set
configure_file(debian/changelog.in ${made}/changelog @ONLY)
execute_process(COMMAND gzip -9n INPUT_FILE ${made}/changelog OUTPUT_FILE ${made}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS TOOL LIBRARY DEVELOPMENT)
  string(TOLOWER ${component} name)
  install(FILES ${made}/changelog.gz debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME}
    COMPONENT ${name} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
