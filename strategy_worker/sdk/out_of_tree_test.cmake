# Installs the SDK into a scratch folder, builds the example against it as a project of its own, runs the example's test and
# has the host load the library. cmake -DBUILD=… -DEXAMPLE=… -DSCRATCH=… -DCOMPILER=… -DLOAD_PROGRAM=… -P out_of_tree_test.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --component sdk --prefix ${SCRATCH}/sdk)
# A copy, so that nothing beside the folder can be found by accident.
file(COPY ${EXAMPLE}/ DESTINATION ${SCRATCH}/project)
# 17 is the oldest standard that the SDK promises.
run(${CMAKE_COMMAND} -G Ninja -S ${SCRATCH}/project -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${SCRATCH}/sdk -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_STANDARD=17 -DCMAKE_CXX_EXTENSIONS=OFF "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -pedantic")
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${SCRATCH}/build --output-on-failure)
run(${LOAD_PROGRAM} ${SCRATCH}/build/one_language.so patience=5)
if(NOT output MATCHES "one_language version 1")
  message(FATAL_ERROR "the host loaded something else: ${output}")
endif()
