# Installs the build into a folder of its own, builds a project that finds it there, and runs that.
# cmake -DBUILD=... -DSOURCE=... -DTYPE=... -DCOMPILER=... -DFLAGS=... -P test.cmake
set(work ${BUILD}/tests/install)
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/install/consumer -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
     -DCMAKE_BUILD_TYPE=${TYPE} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/consumer ${SOURCE}/examples/net-2.13.pt2 ${work}/core.pt2 ${SOURCE}/examples/vendor-library.json)
file(READ ${SOURCE}/tests/golden/lesson/net-2.13.txt expected)
string(STRIP "${expected}" expected)
string(STRIP "${output}" output)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}\ngot:\n${output}")
endif()
step(${work}/prefix/bin/rung --version)
message("rung is found, linked and run from ${work}/prefix")
