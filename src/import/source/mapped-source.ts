export const mappedSources = (_f: any, _m: any, _o: any): any => ({ sources: [], notes: () => [] });
