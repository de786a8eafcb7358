# Completion of `orbweaver` in bash. The program itself says what fits: orbweaver complete.
_orbweaver() {
  local line=${COMP_LINE:0:COMP_POINT} current ended word
  local -a words
  line=${line#*"$1"}
  read -ra words <<<"$line"
  [[ -z $line || $line == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  # Bash ends words at these itself, and replaces only the part behind.
  ended=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :files)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "${current#"$ended"}")
        ;;
      :folders)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "${current#"$ended"}")
        ;;
      *)
        [[ $word != *= ]] || compopt -o nospace
        COMPREPLY+=("${word#"$ended"}")
        ;;
    esac
  done < <("$1" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _orbweaver orbweaver
