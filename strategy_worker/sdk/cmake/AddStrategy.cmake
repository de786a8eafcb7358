# orbweaver_add_strategy(NAME SOURCES file… [LIBRARIES target…]): a crawl strategy that a worker can load, NAME.so. The same
# function makes the built-in strategies in Orbweaver's own tree.
function(orbweaver_add_strategy name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "orbweaver_add_strategy(${name}): expected SOURCES file… [LIBRARIES target…]")
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE orbweaver::strategy_sdk ${ARG_LIBRARIES})
  # Only the entry point is to be seen: two strategies in one process must not meet in their symbols.
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden
                        C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
