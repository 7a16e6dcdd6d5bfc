#!/bin/sh
# Runs every project of Jest: first, alone on the machine, those that judge how long something takes, as far as there is
# what they need; then as many files at once as there are cores. Arguments go to Jest, each time.
alone='redis rollout chaos'
jest "$@" --runInBand --passWithNoTests --selectProjects $alone
failed=$?
jest "$@" --maxWorkers=100% --ignoreProjects $alone || failed=1
exit $failed
