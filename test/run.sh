#!/bin/sh
# Runs every project of Jest: first as many files at once as there are cores; then, alone on the machine, those that judge
# how long something takes. Arguments go to Jest, each time.
alone='redis rollout chaos'
jest "$@" --maxWorkers=100% --ignoreProjects $alone
failed=$?
jest "$@" --runInBand --passWithNoTests --selectProjects $alone || failed=1
exit $failed
