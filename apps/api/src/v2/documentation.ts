import { readFileSync } from 'node:fs'
import { v2OpenApiDocument } from '@shardwalk/api-schema'
import type { Express } from 'express'
import { v2Examples } from '../examples.ts'
import { mountPage } from '../http/mount.ts'
import { sendJson } from '../http/reply-writer.ts'
import { lazy } from '../lazy.ts'
import type { ApiServices } from '../services.ts'

/** Serves the OpenAPI document of API v2 and the page that displays it, which is also used for API v3. */
export function mountV2Documentation(app: Express, { version }: ApiServices): () => object {
  const description = lazy(() => v2OpenApiDocument({ version, examples: v2Examples() }))
  const document = lazy(() => JSON.stringify(description()))
  const page = lazy(() =>
    readFileSync(new URL('../documentation.html', import.meta.url), 'utf8')
      .replace('<title>Shardwalk API v3</title>', '<title>Shardwalk API v2</title>')
      .replace('/*DOCUMENT*/ null', () => document().replaceAll('<', '\\u003c'))
      .replace('/*PROFILE*/ null', '[]'),
  )
  mountPage(app, '/api/v2/openapi.json', (_request, response) => sendJson(response, document()))
  mountPage(app, ['/api/v2', '/api/v2/index.html'], (_request, response) => {
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:",
    )
    response.type('html').send(page())
  })
  mountPage(app, '/api/v2/healthcheck', (_request, response) => {
    response.type('text/plain').send('OK')
  })
  return description
}
