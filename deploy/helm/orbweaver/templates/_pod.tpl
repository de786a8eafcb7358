{{- /* What all pods have. */ -}}
{{- define "orbweaver.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- /* Of (list $ TAG): all containers have this that run a program of ours. */ -}}
{{- define "orbweaver.container" -}}
{{- $top := index . 0 -}}
image: {{ include "orbweaver.image" . }}
imagePullPolicy: {{ $top.Values.image.pullPolicy }}
{{ include "orbweaver.confined" $top }}
{{- with $top.Values.secrets.environment }}
envFrom:
  {{- range . }}
  - secretRef:
      name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "orbweaver.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "orbweaver.mounts" -}}
- name: config
  mountPath: /etc/orbweaver
  readOnly: true
{{- range .Values.secrets.files }}
- name: secret-{{ . | replace "." "-" }}
  mountPath: /etc/orbweaver-secrets/{{ . }}
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- include "orbweaver.adminTlsMount" . }}
{{- end -}}

{{- define "orbweaver.volumes" -}}
- name: config
  configMap:
    name: {{ include "orbweaver.name" . }}{{ .suffix }}
{{- range .Values.secrets.files }}
- name: secret-{{ . | replace "." "-" }}
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
- name: tmp
  emptyDir: {}
{{- include "orbweaver.adminTlsVolume" . }}
{{- end -}}

{{- /* Small ones, that ask Kafka and HBase a few things. */ -}}
{{- define "orbweaver.commandResources" -}}
requests: {cpu: 50m, memory: 128Mi}
limits: {memory: 512Mi}
{{- end -}}

{{- /* The folder of the strategy library, and what brings it. */ -}}
{{- define "orbweaver.libraryVolume" -}}
{{- with .Values.strategyLibrary }}
{{- if .file }}
- name: strategies
  {{- if .configMap }}
  configMap:
    name: {{ .configMap }}
  {{- else if .claim }}
  persistentVolumeClaim:
    claimName: {{ .claim }}
    readOnly: true
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "orbweaver.libraryCopy" -}}
{{- if .Values.strategyLibrary.image }}
- name: strategies
  image: {{ .Values.strategyLibrary.image }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [cp, -r, /strategies/., /opt/strategies/]
  resources:
    {{- include "orbweaver.commandResources" . | nindent 4 }}
  {{- include "orbweaver.confined" . | nindent 2 }}
  volumeMounts:
    - name: strategies
      mountPath: /opt/strategies
{{- end }}
{{- end -}}
