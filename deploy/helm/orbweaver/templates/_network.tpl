{{- /* Labels of every pod of the release. */ -}}
{{- define "orbweaver.ours" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "orbweaver.adminPorts" -}}
{{- $ports := list -}}
{{- range include "orbweaver.workers" . | fromYamlArray }}{{ $ports = append $ports (int .port) }}{{ end -}}
{{- range $ports | uniq }}
- {port: {{ . }}, protocol: TCP}
{{- end }}
{{- end -}}

{{- /* Where crawled pages may lead: not to an address that is not public, unless the program is told so too, and not to the cluster. */ -}}
{{- define "orbweaver.world" -}}
{{- $world := .Files.Get "files/not_public.yaml" | fromYaml -}}
{{- if dig "network" "allow_private" false .Values.config -}}
{{- $world = dict "v4" (dict "cidr" "0.0.0.0/0" "except" list) "v6" (dict "cidr" "::/0" "except" list) -}}
{{- end -}}
{{- range .Values.networkPolicy.clusterNetworks -}}
{{- if not (contains ":" .) -}}
{{- $_ := set $world.v4 "except" (append $world.v4.except .) -}}
{{- else if or (eq $world.v6.cidr "::/0") (regexMatch "^[23]" .) -}}
{{- $_ := set $world.v6 "except" (append $world.v6.except .) -}}
{{- end -}}
{{- end -}}
{{- range list $world.v4 $world.v6 }}
- ipBlock:
    {{- if .except }}
    {{- toYaml . | nindent 4 }}
    {{- else }}
    cidr: {{ .cidr | quote }}
    {{- end }}
{{- end }}
{{- range dig "network" "allow_networks" (list) .Values.config }}
- ipBlock: {cidr: {{ . | quote }}}
{{- end }}
{{- end -}}
