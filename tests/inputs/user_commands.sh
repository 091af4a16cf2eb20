# The commands that a user can run after the build; cli/user_commands.test runs them in a folder with links to
# build and examples, and checks their output.
set -e
build/bin/cusafe doctor
build/bin/cusafe cc --device=cpu examples/first_bug.cu -o first_bug
set +e
build/bin/cusafe run ./first_bug; echo $?
build/bin/cusafe run --html=report.html --sarif=report.sarif ./first_bug; echo $?
set -e
build/bin/cusafe cc --device=cpu --bare examples/first_bug.cu -o bare
build/bin/cusafe cc --device=gpu --arch=sm_80,sm_90 examples/first_bug.cu -o gpu
