// Starts Swagger UI. A key that is entered there stays in the memory of the page.
const root = new URL('..', document.currentScript.src)
const addressOf = (path) => new URL(path, root).href

globalThis.SwaggerUIBundle({
  urls: [
    { url: addressOf('api/v3/openapi.json'), name: 'API v3' },
    { url: addressOf('api/v2/openapi.json'), name: 'API v2' },
    { url: addressOf('api/emulate/openapi.json'), name: 'Emulation' },
  ],
  dom_id: '#console',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  docExpansion: 'list',
  presets: [globalThis.SwaggerUIBundle.presets.apis, globalThis.SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
})
