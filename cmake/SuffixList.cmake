# The public suffix list that is compiled into the product: all processes of a build agree on who owns a domain.
set(ORBWEAVER_SUFFIX_LIST /usr/share/publicsuffix/public_suffix_list.dat CACHE FILEPATH "Public suffix list to compile in")
if(NOT EXISTS ${ORBWEAVER_SUFFIX_LIST})
  message(FATAL_ERROR "There is no public suffix list ${ORBWEAVER_SUFFIX_LIST}. Install Debian's package publicsuffix, or name "
                      "a copy of https://publicsuffix.org/list/public_suffix_list.dat with -DORBWEAVER_SUFFIX_LIST=FILE.")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ORBWEAVER_SUFFIX_LIST})
file(READ ${ORBWEAVER_SUFFIX_LIST} suffix_list)
configure_file(built_in_suffix_list.cc.in built_in_suffix_list.cc @ONLY)
