{{- /* The release's resources begin with this: the release's name, and the chart's unless it stands in it. Pods' names are workers' names. */ -}}
{{- define "orbweaver.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Of (list $ COMPONENT): by these it is selected; they never change. */ -}}
{{- define "orbweaver.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: {{ $top.Chart.Name }}
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "orbweaver.labels" -}}
{{ include "orbweaver.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end -}}

{{- /* Of (list $ TAG); without a tag that of all. */ -}}
{{- define "orbweaver.image" -}}
{{- $top := index . 0 -}}
{{ $top.Values.image.repository }}:{{ index . 1 | default $top.Values.image.tag | default $top.Chart.AppVersion }}
{{- end -}}

{{- /* The kinds of worker of this release: the name in values, the component, the program, its port. */ -}}
{{- define "orbweaver.workers" -}}
- {values: spider, component: spider, program: spider, port: 9610}
- {values: strategyWorker, component: strategy-worker, program: strategy-worker, port: 9620}
- {values: dbWorker, component: db-worker, program: db-worker, port: 9630}
{{- if .Values.pagesWorker.enabled }}
- {values: pagesWorker, component: pages-worker, program: db-worker, port: 9630}
{{- end }}
{{- end -}}
