// Figures of a report as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

// "12 %", "0.4 %".
std::string ShowPercent(double share);
// "12,345", "0.42": four digits or so.
std::string ShowNumber(double number);
// The same with its sign.
std::string ShowSigned(double number);
// "1 fetch", "2,000 fetches", "2 domains".
std::string ShowCount(uint64_t count, std::string_view thing);
// "3 h 12 min".
std::string ShowTime(Duration duration);
// Of a metric: shares in per cent, all else as numbers.
std::string ShowFigure(Metric metric, double number);
std::string ShowFigureSigned(Metric metric, double number);

}  // namespace orbweaver::lab
