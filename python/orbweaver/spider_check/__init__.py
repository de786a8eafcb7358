"""The conformance kit: runs a spider in any language against a scripted feed on real Kafka, and tells which rule it breaks."""
