/**
 * The heap limit that Node 24 has in a pod with 1 GiB of memory, which `deploy/` gives to the service and to imports:
 * 512 MB for old objects and three areas of 16 MB for new ones. On a larger machine, V8 collects garbage less often, so
 * the same work takes more memory than in a pod.
 */
export const POD_HEAP = '--max-heap-size=560';
