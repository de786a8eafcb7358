// The keys are what the Python package surt 0.3.1 gives for these URLs.
#include "spider/publish/surt.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(Surt, IsTheKeyThatToolsLookUp) {
  const std::pair<const char*, const char*> keys[] = {
      {"http://www.example.com/", "com,example)/"},
      {"https://www2.example.com:443/A/b/", "com,example)/a/b"},
      {"https://wwwx.example.com:8443/?", "com,example,wwwx:8443)/"},
      {"http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"},
      {"http://[2001:db8::1]:8080/a", "2001:db8::1:8080)/a"},
      {"http://user:pass@a.test/p", "test,a)/p"},
      {"http://a.test/?Z=1&a=2&a&a=&b=%41", "test,a)/?a&a=&a=2&b=a&z=1"},
      {"http://a.test/%7Efoo/%2541b//c/../d/./e%20f/%C3%A4?q=%20x+y%26",
       "test,a)/~foo/ab/d/e%20f/%c3%a4?&q=%20x+y"},
      {"http://a.test/..", "test,a)/.."},
      {"http://a.test/a?PHPSESSID=0123456789abcdef0123456789abcdef&x=1", "test,a)/a?x=1"},
      {"http://a.test/a?x=1&jsessionid=0123456789ABCDEF0123456789ABCDEF", "test,a)/a?&x=1"},
      {"http://a.test/a?sid=0123456789abcdef0123456789abcdefg",
       "test,a)/a?sid=0123456789abcdef0123456789abcdefg"},
      {"http://a.test./%zz%", "test,a)/%25zz%25"},
  };
  for (const auto& [url, key] : keys) EXPECT_EQ(SurtOf(url), key);
}

}  // namespace
}  // namespace orbweaver
