import type { Response } from 'express'
import type { ApiServices } from '../services.ts'
import type { Replica } from './replica.ts'

/** The database that answers a request. */
interface Chosen {
  readonly replica: Replica
  /** The client passes on which block it saw, so the reply must say so exactly. */
  readonly isStrict: boolean
}

const KEY = 'replica'

/** The replica answers this request until the reply ends, or another one takes its place. */
export function keepReplica(response: Response, replica: Replica, isStrict: boolean): void {
  const before = chosenReplica(response)
  if (before) before.replica.running--
  else response.once('close', () => chosenReplica(response)!.replica.running--)
  replica.running++
  response.locals[KEY] = { replica, isStrict } satisfies Chosen
}

/** Undefined before `keepReplica`. */
export const chosenReplica = (response: Response): Chosen | undefined =>
  response.locals[KEY] as Chosen | undefined

/** What a request reads from: its replica, or for interfaces other than API v3 the common database. */
export const sourceOf = (
  response: Response,
  services: Pick<ApiServices, 'db' | 'head'>,
): Pick<ApiServices, 'db' | 'head'> => chosenReplica(response)?.replica ?? services

/** The services over one replica that has the block, for work whose reads must be consistent. */
export async function pinned(services: ApiServices, least: number | undefined): Promise<ApiServices> {
  if (services.replicas.size === 1) return services
  const { db, head } = await services.replicas.choose({ least })
  return { ...services, db, head }
}
