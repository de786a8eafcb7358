"""The classes that protoc generates from proto/orbweaver/v1; `orbweaver.messages` has them by shorter names."""
