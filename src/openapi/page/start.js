const nothing = () => () => null;

// A file of its own, since the page allows no scripts within it. Requests cannot be tried from here, and nobody is asked
// for credentials: they would go to another origin, the public port, which allows none.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  defaultModelExpandDepth: 3,
  supportedSubmitMethods: [],
  plugins: [{ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }],
});
