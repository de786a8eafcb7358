# Headers of others that nearly every file includes, compiled once: parsing them was two thirds of a build.
#
# CMake's own target_precompile_headers would do, but then no checkout finds in ccache what another one compiled: the
# compiled header has the checkout's path inside, and ccache takes it for an input. Here it takes the `.sum` beside it, a
# hash of all text in the headers. A source still includes what it uses: the preset `coverage` builds without all this, and
# shows what was forgotten.
option(ORBWEAVER_PCH "Compile common headers once (clang only)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(ORBWEAVER_PCH OFF)
endif()

# Compiles cmake/NAME_pch.h with the flags of all targets, and OPTIONS. clang refuses the result where flags differ.
function(orbweaver_precompile name)
  set(header ${CMAKE_SOURCE_DIR}/cmake/${name}_pch.h)
  set(out ${CMAKE_BINARY_DIR}/pch/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/pch)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_directory_property(common COMPILE_OPTIONS)
  get_target_property(fmt_definitions fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
  list(TRANSFORM fmt_definitions PREPEND -D)
  set(compile ${CMAKE_CXX_COMPILER} ${fmt_definitions} ${flags} -std=c++${CMAKE_CXX_STANDARD} -fvisibility=hidden
              ${common} ${ARGN} -x c++-header ${header})
  add_custom_command(
    OUTPUT ${out}.pch ${out}.pch.sum
    COMMAND ${compile} -Xclang -fno-pch-timestamp -fpch-instantiate-templates -MD -MF ${out}.d -MT ${out}.pch -o ${out}.pch
    COMMAND ${compile} -E -P -o ${out}.i
    COMMAND ${CMAKE_COMMAND} -E chdir ${CMAKE_BINARY_DIR}/pch ${CMAKE_COMMAND} -E sha256sum ${name}.i > ${out}.pch.sum
    COMMAND ${CMAKE_COMMAND} -E rm ${out}.i
    DEPENDS ${header}
    DEPFILE ${out}.d
    COMMENT "Compiling the headers of cmake/${name}_pch.h"
    VERBATIM)
  add_custom_target(orbweaver_${name}_pch DEPENDS ${out}.pch)
endfunction()

if(ORBWEAVER_PCH)
  orbweaver_precompile(library -fPIC)
  orbweaver_precompile(test -fPIE -O0 -DGTEST_HAS_PTHREAD=1)
endif()

# orbweaver_use_precompiled(TARGET NAME): compiles TARGET's sources with cmake/NAME_pch.h, when that is on.
function(orbweaver_use_precompiled target name)
  if(ORBWEAVER_PCH)
    set(pch ${CMAKE_BINARY_DIR}/pch/${name}.pch)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${pch} -Xclang -fno-pch-timestamp>")
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${pch})
    add_dependencies(${target} orbweaver_${name}_pch)
  endif()
endfunction()
