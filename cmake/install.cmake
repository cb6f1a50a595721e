# The headers, the library, the command line, and a package for find_package(rung).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(RUNG_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rung)
set(RUNG_INSTALLED_HEADERS ${CMAKE_BINARY_DIR}/installed_headers)
install(CODE "file(REMOVE_RECURSE ${RUNG_INSTALLED_HEADERS})
set(SOURCE ${CMAKE_CURRENT_SOURCE_DIR})
set(DESTINATION ${RUNG_INSTALLED_HEADERS})
include(${CMAKE_CURRENT_SOURCE_DIR}/cmake/install_headers.cmake)")
install(DIRECTORY ${RUNG_INSTALLED_HEADERS}/rung DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS rung EXPORT rungTargets)
install(TARGETS rung_tool)
install(EXPORT rungTargets NAMESPACE rung:: DESTINATION ${RUNG_PACKAGE_DIR})

configure_package_config_file(cmake/rungConfig.cmake.in ${CMAKE_BINARY_DIR}/rungConfig.cmake
                              INSTALL_DESTINATION ${RUNG_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/rungConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/rungConfig.cmake ${CMAKE_BINARY_DIR}/rungConfigVersion.cmake
        DESTINATION ${RUNG_PACKAGE_DIR})
