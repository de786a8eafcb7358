// The part of HBase's Thrift2 protocol that Orbweaver uses: a subset by design. Names, field ids
// and types are HBase's own (hbase-thrift, thrift2/hbase.thrift, 2.x) and are what travels; a field
// that is not here is skipped when a server sends it and left at its default when we do.

namespace cpp orbweaver.hbase_thrift

struct TColumn {
  1: required binary family
  2: optional binary qualifier
  3: optional i64 timestamp
}

struct TColumnValue {
  1: required binary family
  2: required binary qualifier
  3: required binary value
  4: optional i64 timestamp
}

// An absent row comes back with neither a row nor values.
struct TResult {
  1: optional binary row
  2: required list<TColumnValue> columnValues
}

// Without columns: the whole row.
struct TGet {
  1: required binary row
  2: optional list<TColumn> columns
}

// `timestamp` holds for all values.
struct TPut {
  1: required binary row
  2: required list<TColumnValue> columnValues
  3: optional i64 timestamp
}

enum TDeleteType {
  DELETE_COLUMN = 0
  DELETE_COLUMNS = 1
  DELETE_FAMILY = 2
  DELETE_FAMILY_VERSION = 3
}

// Each column names its timestamp: what is not newer goes.
struct TDelete {
  1: required binary row
  2: optional list<TColumn> columns
  4: optional TDeleteType deleteType = TDeleteType.DELETE_COLUMNS
}

// `stopRow` is not part of the answer.
struct TScan {
  1: optional binary startRow
  2: optional binary stopRow
  3: optional list<TColumn> columns
  4: optional i32 caching
  15: optional i32 limit
}

enum TBloomFilterType {
  NONE = 0
  ROW = 1
  ROWCOL = 2
  ROWPREFIX_FIXED_LENGTH = 3
}

enum TCompressionAlgorithm {
  LZO = 0
  GZ = 1
  NONE = 2
  SNAPPY = 3
  LZ4 = 4
  BZIP2 = 5
  ZSTD = 6
}

enum TDataBlockEncoding {
  NONE = 0
  PREFIX = 2
  DIFF = 3
  FAST_DIFF = 4
  ROW_INDEX_V1 = 7
}

struct TTableName {
  1: optional binary ns
  2: required binary qualifier
}

struct TColumnFamilyDescriptor {
  1: required binary name
  4: optional i32 blockSize
  5: optional TBloomFilterType bloomnFilterType
  6: optional TCompressionAlgorithm compressionType
  8: optional TDataBlockEncoding dataBlockEncoding
  10: optional i32 maxVersions
  13: optional i32 timeToLive
}

struct TTableDescriptor {
  1: required TTableName tableName
  2: optional list<TColumnFamilyDescriptor> columns
}

exception TIOError {
  1: optional string message
  2: optional bool canRetry
}

service THBaseService {
  list<TResult> getMultiple(1: required binary table, 2: required list<TGet> tgets)
      throws (1: TIOError io)

  void putMultiple(1: required binary table, 2: required list<TPut> tputs)
      throws (1: TIOError io)

  list<TDelete> deleteMultiple(1: required binary table, 2: required list<TDelete> tdeletes)
      throws (1: TIOError io)

  // Opens a scanner, reads at most `numRows` and closes it: nothing stays open at the server.
  list<TResult> getScannerResults(1: required binary table, 2: required TScan tscan,
                                  3: i32 numRows = 1)
      throws (1: TIOError io)

  bool tableExists(1: TTableName tableName) throws (1: TIOError io)

  TTableDescriptor getTableDescriptor(1: required TTableName table) throws (1: TIOError io)

  void createTable(1: required TTableDescriptor desc, 2: list<binary> splitKeys)
      throws (1: TIOError io)

  bool isTableEnabled(1: required TTableName tableName) throws (1: TIOError io)
}
