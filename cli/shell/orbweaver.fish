# Completion of `orbweaver` in fish. The program itself says what fits: orbweaver complete.
function __orbweaver_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $current)
    set -l typed (string replace -- "$option" '' $current)
    for line in ($before[1] complete -- $before[2..] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$typed" | string replace -r '^' -- "$option"
            case :folders
                __fish_complete_directories "$typed" | string replace -r '^' -- "$option"
            case '*'
                echo $line
        end
    end
end
complete -c orbweaver -f -a '(__orbweaver_words)'
