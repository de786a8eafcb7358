# The public suffix list that is compiled into the product: all processes of a build agree on who owns a domain.
set(ORBWEAVER_PUBLIC_SUFFIX_LIST ${ORBWEAVER_CACHE_DIR}/publicsuffixlist-1.1.2.20261023/public_suffix_list.dat
    CACHE FILEPATH "Public suffix list to compile in")
if(NOT EXISTS ${ORBWEAVER_PUBLIC_SUFFIX_LIST})
  message(FATAL_ERROR "There is no public suffix list ${ORBWEAVER_PUBLIC_SUFFIX_LIST}. Run `./run setup`, or name "
                      "a copy of https://publicsuffix.org/list/public_suffix_list.dat with -DORBWEAVER_PUBLIC_SUFFIX_LIST=FILE.")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ORBWEAVER_PUBLIC_SUFFIX_LIST})
file(READ ${ORBWEAVER_PUBLIC_SUFFIX_LIST} suffix_list)
if(NOT suffix_list MATCHES "===BEGIN ICANN DOMAINS===")
  message(FATAL_ERROR "${ORBWEAVER_PUBLIC_SUFFIX_LIST} is no public suffix list.")
endif()
configure_file(built_in_suffix_list.cc.in built_in_suffix_list.cc @ONLY)
