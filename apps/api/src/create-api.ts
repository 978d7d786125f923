import type { Description } from '@shardwalk/pages'
import express, { type Express, type Request } from 'express'
import type { ApiOptions } from './api-options.ts'
import { mountDocumentation } from './documentation.ts'
import { mountEmulation, mountEmulationDocumentation } from './emulate/mount-emulation.ts'
import { mountHealth } from './health.ts'
import { ADMISSION_LIMITS, admission } from './http/admission.ts'
import { BYTE_LIMITS, countBytes } from './http/bytes-in-flight.ts'
import { compressReplies } from './http/compress-replies.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { errorHandler } from './http/error-handler.ts'
import { HttpError } from './http/errors.ts'
import { measure } from './http/measure.ts'
import { mountRoutes } from './http/mount.ts'
import { limitRequest } from './http/request-limits.ts'
import { singleSlashes } from './http/single-slashes.ts'
import { lazy } from './lazy.ts'
import { openServices } from './open-services.ts'
import { mountPages, pageErrors } from './pages/mount-pages.ts'
import { mountPush } from './pending/mount-push.ts'
import { chooseReplica } from './replicas/choose-replica.ts'
import type { ApiServices } from './services.ts'
import { mountStreamingDocumentation } from './streaming/documentation.ts'
import { mountStreaming, STREAM_BASES } from './streaming/mount-streaming.ts'
import { mountV2Documentation } from './v2/documentation.ts'
import { mountV2 } from './v2/router.ts'
import { EXPORT_ROUTES, V3_ROUTES } from './v3/routes/index.ts'

const INDEXED_ROUTES = [...V3_ROUTES, ...EXPORT_ROUTES]

/** Creates the HTTP interface as an Express application. Opens no connections. */
export function createApi(options: ApiOptions): Express {
  const services = openServices(options)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // Parameters are parsed by the schemas of routes.
  app.set('query parser', false)
  app.set('trust proxy', [...(options.trustedProxies ?? [])])
  app.use(singleSlashes)
  app.use(measure(services))
  app.use(crossOrigin)
  app.use(limitRequest)
  mountHealth(app, services, options)
  // Streams are neither compressed nor counted as requests in progress.
  mountStreams(app, services, options)
  app.use(compressReplies)
  app.use(admission({ ...ADMISSION_LIMITS, ...options.admission }, services.metrics))
  app.use(countBytes({ ...BYTE_LIMITS, ...options.bytes }, services.metrics))
  const pages = mountDocuments(app, services, options)
  // Its clients know a secret instead of a key.
  mountPush(app, services, options.pending?.pushSecret)
  if (options.access) app.use('/api', options.access)
  app.use('/api/v3', chooseReplica(services))
  mountV2(app, services)
  mountRoutes(app, INDEXED_ROUTES, services)
  mountEmulation(app, services, options.emulation)
  app.use((request: Request) => {
    throw new HttpError(404, `there is no ${request.path}; the interface is described at /api/v3/`)
  })
  if (pages) app.use(pageErrors(pages))
  app.use(errorHandler(services.log))
  return app
}

function mountStreams(app: Express, services: ApiServices, { access, streaming, onStreams }: ApiOptions) {
  if (!streaming) return
  const versions = streaming.v1 ? ['v1', 'v2'] : ['v2']
  if (access)
    app.use(
      STREAM_BASES.flatMap((base) => versions.map((one) => `${base}/${one}`)),
      access,
    )
  onStreams?.(mountStreaming(app, services, streaming))
}

/** Pages for browsers, and descriptions of the interfaces, which need no key. */
function mountDocuments(app: Express, services: ApiServices, options: ApiOptions) {
  const { streaming } = options
  const pages =
    options.pages &&
    mountPages(app, services, {
      ...options.pages,
      isShuttingDown: options.isShuttingDown ?? (() => false),
      access: options.access,
      hasStreams: streaming !== undefined,
      descriptions: lazy(() => documents.map((document) => document() as Description)),
      pool: () => options.lite?.()?.pool,
    })
  const documents = [
    mountDocumentation(app, INDEXED_ROUTES, services),
    mountV2Documentation(app, services),
    mountEmulationDocumentation(app, services),
    ...(streaming ? [mountStreamingDocumentation(app, services, streaming)] : []),
  ]
  if (options.describesAtStart) for (const describe of documents) describe()
  return pages
}
