import { v2OpenApiDocument } from '@shardwalk/api-schema'
import type { Express } from 'express'
import { documentationPage, sendPage } from '../documentation.ts'
import { v2Examples } from '../examples.ts'
import { mountPage } from '../http/mount.ts'
import { sendJson } from '../http/reply-writer.ts'
import { lazy } from '../lazy.ts'
import type { ApiServices } from '../services.ts'

/** Serves the OpenAPI document of API v2 and the page that displays it, which is also used for API v3. */
export function mountV2Documentation(app: Express, { version }: ApiServices): () => object {
  const description = lazy(() => v2OpenApiDocument({ version, examples: v2Examples() }))
  const document = lazy(() => JSON.stringify(description()))
  const page = lazy(() => documentationPage('Shardwalk API v2', document(), []))
  mountPage(app, '/api/v2/openapi.json', (_request, response) => sendJson(response, document()))
  mountPage(app, ['/api/v2', '/api/v2/index.html'], (_request, response) => sendPage(response, page()))
  mountPage(app, '/api/v2/healthcheck', (_request, response) => {
    response.type('text/plain').send('OK')
  })
  return description
}
