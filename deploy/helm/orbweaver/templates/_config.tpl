{{- /* The program's configuration: the options of `size`, over them those of `config`, and over these what `profile` brings along. */ -}}
{{- define "orbweaver.config" -}}
{{- include "orbweaver.check" . -}}
{{- $config := dict -}}
{{- range (index (.Files.Get "files/sizes.yaml" | fromYaml) .Values.size) -}}
{{- $config = mergeOverwrite $config .config -}}
{{- end -}}
{{- mergeOverwrite $config (deepCopy .Values.config) (include "orbweaver.profile" . | fromYaml) | toYaml -}}
{{- end -}}

{{- /* Of (list $ WORKER): replicas and resources, its own or those of `size`. Workers that `size` does not know have those of db workers. */ -}}
{{- define "orbweaver.sized" -}}
{{- $top := index . 0 -}}
{{- $sizes := index ($top.Files.Get "files/sizes.yaml" | fromYaml) $top.Values.size -}}
{{- $sized := get $sizes (index . 1) | default $sizes.dbWorker -}}
{{- $own := index $top.Values (index . 1) -}}
{{- $replicas := $own.replicas -}}
{{- if kindIs "invalid" $replicas -}}{{- $replicas = $sized.replicas -}}{{- end -}}
{{- dict "replicas" $replicas "resources" ($own.resources | default $sized.resources) | toYaml -}}
{{- end -}}

{{- /* Of autoscaling: quickly up, slowly down. Each change moves partitions, and a worker that goes drains first. */ -}}
{{- define "orbweaver.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 30
  policies:
    - {type: Percent, value: 100, periodSeconds: 60}
scaleDown:
  stabilizationWindowSeconds: {{ .scaleDownAfterSeconds }}
  policies:
    - {type: Pods, value: 1, periodSeconds: 60}
{{- end -}}

{{- /* Seconds, rounded up, of a duration as the program reads them. */ -}}
{{- define "orbweaver.seconds" -}}
{{- $text := toString . -}}
{{- if not (regexMatch "^[0-9]+(ms|s|m|h|d)$" $text) -}}
{{- fail (printf "config.stop.deadline: %q is not a duration such as 30s or 2m" $text) -}}
{{- end -}}
{{- $number := regexFind "^[0-9]+" $text | int -}}
{{- $unit := regexFind "[a-z]+$" $text -}}
{{- if eq $unit "ms" -}}{{- div (add $number 999) 1000 -}}
{{- else -}}{{- mul $number (get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) $unit) -}}
{{- end -}}
{{- end -}}

{{- /* Fails for what the schema cannot say: no file is rendered before it. */ -}}
{{- define "orbweaver.check" -}}
{{- $config := .Values.config -}}
{{- $instead := dict
    "admin.listen" "the chart sets it"
    "admin.port" "the chart sets it"
    "admin.advertise" "the chart sets it"
    "admin.tls_cert" "admin.tlsSecret sets it"
    "admin.tls_key" "admin.tlsSecret sets it"
    "admin.tls_ca" "admin.tlsSecret sets it"
    "console.journal" "the chart sets it; console.journalClaim keeps it"
    "console.read_only" "console.orders sets it"
    "console.tls_cert" "console.tlsSecret sets it"
    "console.tls_key" "console.tlsSecret sets it"
    "console.read_token" "secrets do not belong into values: make a Secret with the key ORBWEAVER_CONSOLE__READ_TOKEN and name it in secrets.environment"
    "worker.name" "pods have their own"
    "worker.on_stop" "handOver.enabled sets it"
    "admin.token" "secrets do not belong into values: make a Secret with the key ORBWEAVER_ADMIN__TOKEN and name it in secrets.environment"
    "spider.archive.folder" "spider.archive.enabled sets it, and brings the volume"
    "strategy.path" "strategyLibrary.file sets it, and brings the file" -}}
{{- range $name, $why := $instead -}}
{{- $below := $config -}}
{{- range $part := splitList "." $name -}}
{{- if kindIs "map" $below -}}{{- $below = get $below $part -}}{{- else -}}{{- $below = "" -}}{{- end -}}
{{- end -}}
{{- if $below -}}{{- fail (printf "config.%s: %s" $name $why) -}}{{- end -}}
{{- end -}}
{{- range list (list "hbase" "hosts") (list "network" "allow_networks") (list "network" "dns_servers") -}}
{{- $value := dig (index . 0) (index . 1) (list) $config -}}
{{- if not (kindIs "slice" $value) -}}{{- fail (printf "config.%s.%s: %v is no list" (index . 0) (index . 1) $value) -}}{{- end -}}
{{- end -}}
{{- $brokers := dig "kafka" "brokers" "" $config -}}
{{- if not (kindIs "string" $brokers) -}}
{{- fail (printf "config.kafka.brokers: %v is no text; write HOST:PORT,HOST:PORT" $brokers) -}}
{{- end -}}
{{- range list "sasl.password" "ssl.key.password" "ssl.keystore.password" -}}
{{- if hasKey (dig "kafka" "properties" (dict) $config) . -}}
{{- fail (printf "config.kafka.properties: %s: secrets do not belong into values: make a Secret with the key ORBWEAVER_KAFKA__PROPERTIES__%s and name it in secrets.environment" . (upper . | replace "." "__")) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.pagesWorker.enabled (dig "db_worker" "roles" "" $config) -}}
{{- fail "config.db_worker.roles: pagesWorker.enabled sets the roles" -}}
{{- end -}}
{{- $partitions := dig "topics" "partitions" 16 (mergeOverwrite (deepCopy $config) (include "orbweaver.profile" . | fromYaml)) | int -}}
{{- range $worker := include "orbweaver.workers" . | fromYamlArray -}}
{{- $replicas := (include "orbweaver.sized" (list $ $worker.values) | fromYaml).replicas | int -}}
{{- if gt $replicas $partitions -}}
{{- fail (printf "%s.replicas: %d, but config.topics.partitions is %d: further workers would have nothing to do" $worker.values $replicas $partitions) -}}
{{- end -}}
{{- end -}}
{{- if .Values.autoscaling.enabled -}}
{{- range $kind := list "spider" "strategyWorker" "dbWorker" -}}
{{- $bounds := get $.Values.autoscaling $kind -}}
{{- if gt (int $bounds.max) $partitions -}}
{{- fail (printf "autoscaling.%s.max: %d, but config.topics.partitions is %d: further workers would have nothing to do" $kind (int $bounds.max) $partitions) -}}
{{- end -}}
{{- if gt (int $bounds.min) (int $bounds.max) -}}
{{- fail (printf "autoscaling.%s: min is %d, and max is %d" $kind (int $bounds.min) (int $bounds.max)) -}}
{{- end -}}
{{- if not (kindIs "invalid" (get $.Values $kind).replicas) -}}
{{- fail (printf "%s.replicas: autoscaling.enabled chooses them; autoscaling.%s has the bounds" $kind $kind) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.autoscaling.tlsSecret (not .Values.autoscaling.keda) (not .Values.autoscaling.caBundle) -}}
{{- fail "autoscaling.tlsSecret: autoscaling.caBundle is missing, by which Kubernetes knows its certificate" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.console.enabled (or .Values.console.service .Values.console.orders) (not .Values.secrets.environment) -}}
{{- fail "console: service and orders need tokens: make a Secret with the keys ORBWEAVER_CONSOLE__READ_TOKEN and ORBWEAVER_ADMIN__TOKEN and name it in secrets.environment" -}}
{{- end -}}
{{- with .Values.strategyLibrary -}}
{{- $places := list .configMap .image .claim | compact | len -}}
{{- if and .file (ne $places 1) -}}
{{- fail "strategyLibrary.file: where is it? One of strategyLibrary.configMap, .image and .claim says so" -}}
{{- end -}}
{{- if and (not .file) $places -}}
{{- fail "strategyLibrary: the file has no name; set strategyLibrary.file" -}}
{{- end -}}
{{- end -}}
{{- end -}}
