import { readFileSync } from 'node:fs'
import {
  ErrorReply,
  type OpenApiOptions,
  openApiDocument,
  PROFILE_DIFFERENCES,
  toSwagger,
} from '@shardwalk/api-schema'
import type { Express, Response } from 'express'
import { v3Examples } from './examples.ts'
import { mountPath } from './http/mount.ts'
import { prefixOf, redirectTo } from './http/own-address.ts'
import { sendJson } from './http/reply-writer.ts'
import { type Route, routeFacts, rowsKey } from './http/route.ts'
import { lazy } from './lazy.ts'
import type { ApiServices } from './services.ts'

const DESCRIPTION =
  'Indexed TON blockchain data, compatible with TON Center v3. Addresses are accepted in every form and ' +
  'returned raw; hashes are accepted as hex or base64 and returned as base64.'

/** Serves the OpenAPI document generated from the routes, and a page that displays it. */
export function mountDocumentation(
  app: Express,
  routes: readonly Route[],
  services: ApiServices,
): () => object {
  const description = mountDocument(app, services, '/api/v3', () => ({
    title: 'Shardwalk API v3',
    description: DESCRIPTION,
    routes: routes.map((route) => routeFacts(route, services.rules)),
    defaultLimit: services.defaultLimit,
    examples: withExports(routes, services),
  }))
  const swagger = lazy(() => JSON.stringify(toSwagger(description())))
  // Where TON Center has its own, which is Swagger 2.0. Its `basePath` cannot be relative.
  mountPath(app, '/api/v3/doc.json', (request, response) => {
    const prefix = prefixOf(request)
    const text = swagger()
    sendJson(response, prefix ? text.replace('"basePath":"/"', `"basePath":"${prefix}"`) : text)
  })
  mountPath(app, '/', (request, response) => redirectTo(request, response, '/api/v3/'))
  return description
}

type Rows = readonly unknown[]

/** Examples of replies; of an export, the first row of the list's. */
function withExports(routes: readonly Route[], { rules }: ApiServices): Record<string, unknown> {
  const examples = v3Examples(rules) as Readonly<Record<string, Readonly<Record<string, Rows>> & Rows>>
  const exported = routes.flatMap((route) => {
    if (route.kind !== 'export') return []
    const list = examples[`get ${route.list.path.replace('/api/v3/', '')}`]
    const key = rowsKey(route.list, rules)
    const rows = key === '' ? list : list?.[key]
    return [[`get ${route.path.replace('/api/v3/', '')}`, rows?.[0]]]
  })
  return { ...examples, ...Object.fromEntries(exported) }
}

interface Documented extends Omit<OpenApiOptions, 'version' | 'errorReply'> {
  /** Default: that of API v3. */
  readonly errorReply?: OpenApiOptions['errorReply']
}

/**
 * Serves an OpenAPI document and its page below `base`. Returns the document, which is made when it is first
 * asked for.
 */
export function mountDocument(
  app: Express,
  services: ApiServices,
  base: string,
  describe: () => Documented,
): () => ReturnType<typeof openApiDocument> {
  const { version } = services
  const described = lazy(describe)
  const description = lazy(() => openApiDocument({ errorReply: ErrorReply, ...described(), version }))
  const document = lazy(() => JSON.stringify(description()))
  const page = lazy(() => documentationPage(described().title, document(), profileRows(services)))
  mountPath(app, `${base}/openapi.json`, (_request, response) => sendJson(response, document()))
  mountPath(app, [base, `${base}/index.html`], (_request, response) => sendPage(response, page()))
  return description
}

/** The page that displays a document. `profile`: the behaviour of this instance where profiles differ. */
export const documentationPage = (title: string, document: string, profile: readonly object[]): string =>
  readFileSync(new URL('./documentation.html', import.meta.url), 'utf8')
    .replace('<title>Shardwalk API v3</title>', `<title>${title}</title>`)
    .replace('/*DOCUMENT*/ null', () => document.replaceAll('<', '\\u003c'))
    .replace('/*PROFILE*/ null', () => JSON.stringify(profile))

/** Sends a page of `documentationPage`, whose scripts and styles are in the page. */
export function sendPage(response: Response, page: string): void {
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:",
  )
  response.type('html').send(page)
}

/** The behaviour of this instance where profiles differ. */
const profileRows = ({ rules }: ApiServices) =>
  Object.entries(PROFILE_DIFFERENCES).map(([key, row]) => {
    const chosen = row.standard.value === rules[key as keyof typeof rules] ? row.standard : row.toncenter
    return { subject: row.subject, description: chosen.description }
  })
