// Starts Swagger UI. A key that is entered there stays in the memory of the page.
globalThis.SwaggerUIBundle({
  urls: [
    { url: '/api/v3/openapi.json', name: 'API v3' },
    { url: '/api/v2/openapi.json', name: 'API v2' },
    { url: '/api/emulate/openapi.json', name: 'Emulation' },
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
