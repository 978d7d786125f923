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
  plugins: [readLess],
  layout: 'StandaloneLayout',
})

/**
 * Swagger UI reads descriptions as YAML, and reads all of one again for whatever is opened: seconds for each.
 * With this it reads JSON, and of it what is opened and what that refers to.
 */
function readLess({ fn: { resolveSubtree } }) {
  const parseToJson =
    (_, { specActions }) =>
    (text) =>
      specActions.updateJsonSpec(JSON.parse(text ?? '{}'))
  return {
    fn: {
      resolveSubtree: (document, path, options) => resolveSubtree(partOf(document, path), path, options),
    },
    statePlugins: { spec: { wrapActions: { parseToJson } } },
  }
}

/** The description with one of its paths or components, in which `path` is, and the components it needs. */
function partOf(document, path) {
  const { paths, components, ...rest } = document
  const part = { ...rest, paths: {}, components: {} }
  copyAt(path.slice(0, path[0] === 'paths' ? 2 : 3), document, part)
  const taken = new Set()
  const takeNamed = (value) => {
    if (typeof value !== 'object' || value === null) return
    const [, kind, name] = /^#\/components\/([^/]+)\/([^/]+)/.exec(value.$ref) ?? []
    if (name !== undefined && !taken.has(value.$ref)) {
      taken.add(value.$ref)
      copyAt(['components', kind, name], document, part)
      takeNamed(components?.[kind]?.[name])
    }
    Object.values(value).forEach(takeNamed)
  }
  takeNamed({ ...part, info: undefined })
  return part
}

/** Copies nothing that is above `path` or beside it. */
function copyAt([key, ...path], from, to) {
  if (from?.[key] === undefined) return
  if (path.length === 0) to[key] = from[key]
  else copyAt(path, from[key], (to[key] = { ...to[key] }))
}
