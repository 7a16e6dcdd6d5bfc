const nothing = () => () => null;

// A separate file, because the page's Content-Security-Policy allows no inline scripts. "Try it out" and "Authorize" are
// hidden: their requests would go to another origin, the public port, which allows no cross-origin requests.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  defaultModelExpandDepth: 3,
  supportedSubmitMethods: [],
  plugins: [{ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }],
});
