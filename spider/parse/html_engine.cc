#include "spider/parse/html_engine.h"

namespace orbweaver {

std::unique_ptr<HtmlEngine> MakeHtmlEngine(HtmlEngineKind kind, bool styles) {
  return kind == HtmlEngineKind::kGumbo ? MakeGumboEngine(styles) : MakeScannerEngine(styles);
}

}  // namespace orbweaver
