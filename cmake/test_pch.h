// Precompiled for the tests (cmake/PrecompiledHeaders.cmake).
#pragma once

#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "library_pch.h"
