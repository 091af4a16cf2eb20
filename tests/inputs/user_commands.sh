# What a user must be able to do after the build, word for word; cli/user_commands.test runs it in a folder with the links
# build and examples, and reads what it prints.
set -e
build/bin/cusafe doctor
build/bin/cusafe cc --device=cpu examples/first_bug.cu -o first_bug
set +e
build/bin/cusafe run ./first_bug; echo $?
build/bin/cusafe run --html=report.html --sarif=report.sarif ./first_bug; echo $?
set -e
build/bin/cusafe cc --device=cpu --bare examples/first_bug.cu -o bare
build/bin/cusafe cc --device=gpu --arch=sm_80,sm_90 examples/first_bug.cu -o gpu
