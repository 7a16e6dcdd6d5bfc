export const productSources = (_f: any, _o: any): any[] => [];
