{{- /* The options that `profile` sets, over those of `config`: none, but for the demo. */ -}}
{{- define "orbweaver.profile" -}}
{{- $name := include "orbweaver.name" . -}}
{{- if eq .Values.profile "demo" -}}
kafka: {brokers: "{{ $name }}-kafka:9092"}
hbase: {hosts: ["{{ $name }}-hbase:9090"], regions: 2}
topics: {partitions: 8, replication: 1}
# The web comes as a proxy that forwards nothing: nobody else is asked, whatever address a page names.
network: {proxy: "http://{{ $name }}-web:8080", allow_private: true}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{- /* Pods that the demo brings: name, image, port, memory, and who may come: all of ours, all but spiders, spiders. */ -}}
{{- define "orbweaver.demoPods" -}}
- {component: kafka, image: -kafka, port: 9092, heap: -Xms128m -Xmx512m, memory: {requests: 512Mi, limits: 1Gi}, callers: {}}
- component: hbase
  image: -hbase
  port: 9090
  heap: -Xms256m -Xmx1g
  memory: {requests: 768Mi, limits: 2Gi}
  callers: {matchExpressions: [{key: app.kubernetes.io/component, operator: NotIn, values: [spider]}]}
- component: web
  image: ""
  port: 8080
  heap: ""
  memory: {requests: 128Mi, limits: 1Gi}
  callers: {matchLabels: {app.kubernetes.io/component: spider}}
{{- end -}}

{{- /* Peers of a NetworkPolicy: the demo's pods of a component. */ -}}
{{- define "orbweaver.demoPeers" -}}
- podSelector:
    matchLabels:
      {{- include "orbweaver.selector" . | nindent 6 }}
{{- end -}}

{{- define "orbweaver.web" -}}
- orbweaver-synthetic-web
- --listen=0.0.0.0
- --allow-remote
- --port=8080
- --hosts={{ .hosts }}
- --pages={{ .pages }}
- --seeds={{ .hosts }}
- --check
{{- range .options }}
- {{ . | quote }}
{{- end }}
{{- end -}}
