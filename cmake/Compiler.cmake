# How everything of ours is compiled. Presets choose the compiler (clang 19: g++ 12 miscompiles coroutines).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(ORBWEAVER_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined or thread")
option(ORBWEAVER_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(ORBWEAVER_COVERAGE "Instrument for llvm-cov" OFF)

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Line tables are enough for stack traces and halve the link time of full debug information.
  string(REPLACE "-g" "-gline-tables-only" CMAKE_CXX_FLAGS_DEBUG "${CMAKE_CXX_FLAGS_DEBUG}")
endif()
string(REPLACE "-g" "-gline-tables-only" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

find_program(ORBWEAVER_CCACHE ccache)
if(ORBWEAVER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ORBWEAVER_CCACHE})
  # The settings are those that precompiled headers need (PrecompiledHeaders.cmake).
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true ${ORBWEAVER_CCACHE})
endif()

find_program(ORBWEAVER_MOLD mold)
if(ORBWEAVER_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=mold)
endif()

# Programs are optimised as one piece when they are linked (ThinLTO), which is a tenth less CPU. Objects have ordinary code too: tests
# link that, in a fraction of the time.
find_program(ORBWEAVER_LLD ld.lld HINTS /usr/lib/llvm-19/bin)
set(lto_default OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND ORBWEAVER_LLD)
  set(lto_default ON)
endif()
option(ORBWEAVER_LTO "Optimise programs when they are linked (clang and lld)" ${lto_default})
if(ORBWEAVER_LTO)
  set(ORBWEAVER_LTO_COMPILE -flto=thin -ffat-lto-objects)
  set(ORBWEAVER_LTO_LINK ${ORBWEAVER_LTO_COMPILE} -fuse-ld=lld -Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/thinlto)
endif()

if(ORBWEAVER_SANITIZE)
  add_compile_options(-fsanitize=${ORBWEAVER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ORBWEAVER_SANITIZE})
endif()
if(ORBWEAVER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ORBWEAVER_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()

# Applied to our own targets only (cmake/Targets.cmake); generated and third-party sources keep their own.
set(ORBWEAVER_WARNINGS -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND ORBWEAVER_WARNINGS -Wthread-safety -Wextra-semi -Wnon-virtual-dtor -Woverloaded-virtual -Wshadow
       # Option structs are named field by field; what is not named keeps its default.
       -Wno-missing-designated-field-initializers)
endif()
