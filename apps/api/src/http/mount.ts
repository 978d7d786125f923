import type { Express, Request, Response } from 'express'
import { chargeMore } from '../access/charges.ts'
import type { ApiServices } from '../services.ts'
import { answerFromIndex } from './answer-from-index.ts'
import { answerFromNode } from './answer-from-node.ts'
import { answerPosted } from './answer-posted.ts'
import { HttpError } from './errors.ts'
import { type Route, verbOf } from './route.ts'

const METHODS = { get: 'GET, HEAD', post: 'POST' }

/** Mounts GET and HEAD; other methods return 405. */
export function mountPath(
  app: Express,
  paths: string | readonly string[],
  handle: (request: Request, response: Response) => unknown,
): void {
  for (const path of [paths].flat())
    app
      .route(path)
      .get(async (request, response) => {
        response.locals['route'] = path
        await handle(request, response)
      })
      .all(refuseMethod('GET, HEAD, OPTIONS'))
}

/** Mounts GET and HEAD; other methods are left to later handlers. */
export function mountPage(
  app: Express,
  paths: string | readonly string[],
  handle: (request: Request, response: Response) => unknown,
): void {
  for (const path of [paths].flat())
    app.get(path, async (request, response) => {
      response.locals['route'] = path
      await handle(request, response)
    })
}

/** Mounts declared endpoints; other methods on their paths return 405. */
export function mountRoutes(app: Express, routes: readonly Route[], services: ApiServices): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path)
    const mounted = app.route(path)
    for (const route of own)
      mounted[verbOf(route)](async (request, response) => {
        response.locals['route'] = path
        await chargeMore(request, (route.cost ?? 1) - 1)
        await answer(route, request, response, services)
      })
    const allowed = [...own.map((route) => METHODS[verbOf(route)]), 'OPTIONS'].join(', ')
    mounted.all(refuseMethod(allowed))
  }
}

function answer(route: Route, request: Request, response: Response, services: ApiServices): Promise<void> {
  switch (route.kind) {
    case 'node':
      return answerFromNode(route, request, response, services)
    case 'post':
      return answerPosted(route, request, response, services)
    default:
      return answerFromIndex(route, request, response, services)
  }
}

/** Behind the handlers of the methods that a path has. */
const refuseMethod = (allowed: string) => (request: Request) => {
  throw new HttpError(405, `method ${request.method} is not allowed here`, { Allow: allowed })
}
