const nothing = () => () => null;

/** Shows a response as one line. A click shows its body and headers. Only the successful response starts open. */
const foldedResponse = (Response, { React, getComponent }) =>
  function FoldedResponse(props) {
    const { code, response } = props;
    const [isOpen, setOpen] = React.useState(code.startsWith('2'));
    const Markdown = getComponent('Markdown', true);
    const toggle = { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) };
    const cells = [
      React.createElement('td', { key: 'code' }, React.createElement('button', toggle, code)),
      React.createElement(
        'td',
        { key: 'description' },
        React.createElement(Markdown, { source: response.get('description') }),
      ),
    ];
    return React.createElement(
      React.Fragment,
      null,
      React.createElement('tr', { className: 'folded-response' }, cells),
      isOpen && React.createElement(Response, props),
    );
  };

/** Shows the headers of a response on click. Four of them are the same in every response. */
const foldedHeaders = (Headers, { React }) =>
  function FoldedHeaders(props) {
    const count = props.headers?.size;
    if (!count) return null;
    const summary = React.createElement('summary', null, `${count} headers`);
    return React.createElement('details', null, summary, React.createElement(Headers, props));
  };

// A separate file, because the page's Content-Security-Policy allows no inline scripts. "Try it out" and "Authorize" are
// hidden: their requests would go to another origin, the public port, which allows no cross-origin requests.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  defaultModelExpandDepth: 3,
  supportedSubmitMethods: [],
  plugins: [
    {
      wrapComponents: {
        authorizeBtn: nothing,
        authorizeOperationBtn: nothing,
        response: foldedResponse,
        headers: foldedHeaders,
      },
    },
  ],
});
