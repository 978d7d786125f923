import { readFileSync } from 'node:fs'
import { ErrorReply, openApiDocument, PROFILE_DIFFERENCES, toSwagger } from '@shardwalk/api-schema'
import type { Express } from 'express'
import { mountPath } from './http/mount.ts'
import { sendJson } from './http/reply-writer.ts'
import { type Route, routeFacts } from './http/route.ts'
import type { ApiServices } from './services.ts'

const DESCRIPTION =
  'Indexed TON blockchain data, compatible with TON Center v3. Addresses are accepted in every form and ' +
  'returned raw; hashes are accepted as hex or base64 and returned as base64.'

/** Serves the OpenAPI document generated from the routes, and a page that displays it. */
export function mountDocumentation(app: Express, routes: readonly Route[], services: ApiServices): void {
  const description = openApiDocument({
    title: 'Shardwalk API v3',
    version: services.version,
    description: DESCRIPTION,
    routes: routes.map((route) => routeFacts(route, services.rules)),
    errorReply: ErrorReply,
    defaultLimit: services.defaultLimit,
  })
  const document = JSON.stringify(description)
  const swagger = JSON.stringify(toSwagger(description))
  const page = readFileSync(new URL('./documentation.html', import.meta.url), 'utf8')
    .replace('/*DOCUMENT*/ null', () => document.replaceAll('<', '\\u003c'))
    .replace('/*PROFILE*/ null', () => JSON.stringify(profileRows(services)))
  mountPath(app, '/api/v3/openapi.json', (_request, response) => sendJson(response, document))
  // Where TON Center has its own, which is Swagger 2.0.
  mountPath(app, '/api/v3/doc.json', (_request, response) => sendJson(response, swagger))
  mountPath(app, ['/api/v3', '/api/v3/index.html'], (_request, response) => {
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:",
    )
    response.type('html').send(page)
  })
  mountPath(app, '/', (_request, response) => response.redirect(302, '/api/v3/'))
}

/** The behaviour of this instance where profiles differ. */
const profileRows = ({ rules }: ApiServices) =>
  Object.entries(PROFILE_DIFFERENCES).map(([key, row]) => {
    const chosen = row.standard.value === rules[key as keyof typeof rules] ? row.standard : row.toncenter
    return { subject: row.subject, description: chosen.description }
  })
