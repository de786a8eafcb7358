#include "cli/product_options.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "common/config/render.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

// CTest runs it in the source tree.
TEST(ProductOptionsTest, TheReferencePageSaysWhatIsDeclared) {
  config::Schema schema;
  ProductOptions options;
  DeclareProductOptions(schema, &options);
  std::ifstream file("docs/configuration.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), config::ReferencePage(schema))
      << "docs/configuration.md is stale. Write it anew: "
         "./run orbweaver config reference > docs/configuration.md";
}

}  // namespace
}  // namespace orbweaver
