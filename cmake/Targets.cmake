# The three kinds of target this tree has. Each folder's CMakeLists.txt is a few calls of these.
include(GoogleTest)
include(PrecompiledHeaders)

# orbweaver_library(NAME SOURCES... DEPS...): a static library `orbweaver_NAME`, alias `orbweaver::NAME`.
function(orbweaver_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  set(target orbweaver_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    target_compile_options(${target} PRIVATE ${ORBWEAVER_WARNINGS} ${ORBWEAVER_LTO_COMPILE})
    target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
    orbweaver_use_precompiled(${target} library)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
  endif()
  add_library(orbweaver::${name} ALIAS ${target})
endfunction()

# orbweaver_executable(NAME SOURCES... DEPS...): a program of the product.
function(orbweaver_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  # -fPIC instead of an executable's -fPIE: the precompiled headers of the libraries then serve it too.
  target_compile_options(${name} PRIVATE ${ORBWEAVER_WARNINGS} ${ORBWEAVER_LTO_COMPILE} -fPIC)
  target_link_options(${name} PRIVATE ${ORBWEAVER_LTO_LINK})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  # A fifth less CPU than with the C library's allocator, measured on the queue. Sanitizers bring their own.
  if(NOT ORBWEAVER_SANITIZE)
    target_link_libraries(${name} PRIVATE PkgConfig::jemalloc)
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/common/runtime/allocator.cc)
  endif()
  orbweaver_use_precompiled(${name} library)
endfunction()

# orbweaver_test(NAME LABEL SOURCES... DEPS... [TIMEOUT s] [LOCK resource] [ARGS...]): one gtest program a folder, each of
# its cases a CTest test. LABEL is unit, contract, integration, sim or e2e; `integration` finds the real services through the
# environment that `./run test` sets. LOCK keeps tests apart that break a shared service.
function(orbweaver_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT;LOCK" "SOURCES;DEPS" ${ARGN})
  if(ORBWEAVER_FUZZ)
    return()  # gtest programs have a main of their own and are built by the other presets
  endif()
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  # The product's code is tested as it ships; optimising the tests themselves would be half of what they cost to build.
  target_compile_options(${name} PRIVATE ${ORBWEAVER_WARNINGS} -O0)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main GTest::gmock)
  orbweaver_use_precompiled(${name} test)
  set(properties LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LOCK)
    list(APPEND properties RESOURCE_LOCK ${ARG_LOCK})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties}
                       WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()

# orbweaver_fuzz_target(NAME SOURCES... DEPS... [CORPUS dir]): a libFuzzer program, run for `ORBWEAVER_FUZZ_SECONDS` by CTest
# under the label `fuzz`. Exists only in the `fuzz` preset.
set(ORBWEAVER_FUZZ_SECONDS 15 CACHE STRING "How long CTest runs each fuzz target")
# Fixed, so that what fails a change is the change; 0 draws one, to look for more.
set(ORBWEAVER_FUZZ_SEED 1 CACHE STRING "libFuzzer's seed under CTest")
function(orbweaver_fuzz_target name)
  cmake_parse_arguments(ARG "" "CORPUS" "SOURCES;DEPS" ${ARGN})
  if(NOT ORBWEAVER_FUZZ)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${ORBWEAVER_WARNINGS} -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  if(NOT TARGET fuzz_targets)
    add_custom_target(fuzz_targets)  # what `./run test` builds of this preset
  endif()
  add_dependencies(fuzz_targets ${name})
  # libFuzzer writes new inputs to the first folder, which is not the tracked corpus.
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}-found)
  file(MAKE_DIRECTORY ${found})
  add_test(NAME ${name} COMMAND ${name} -max_total_time=${ORBWEAVER_FUZZ_SECONDS} -seed=${ORBWEAVER_FUZZ_SEED} -rss_limit_mb=1024 -timeout=10
           -artifact_prefix=${found}/ ${found} ${ARG_CORPUS})
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()
