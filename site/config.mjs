/** Anchors as GitHub makes them, because the pages are also read there. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');

/** Returns the configuration of VitePress. */
export const config = ({ sidebar, policy }) => ({
  title: 'Customer Data Service',
  description: 'How to fetch your products, prices and stock.',
  lang: 'en',
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: policy }],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  markdown: { anchor: { slugify }, toc: { slugify }, headers: { slugify } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    externalLinkIcon: true,
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 2000 } },
});
