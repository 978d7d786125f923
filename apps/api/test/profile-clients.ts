import { PROFILES, type Profile } from '@shardwalk/api-schema'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { Client } from './client.ts'

type Options = Omit<NonNullable<Parameters<typeof Client.start>[1]>, 'profile'>

/** A running API of each profile over one database, which is closed with them. */
export class ProfileClients {
  private constructor(
    readonly scratch: ScratchDatabase,
    private readonly clients: Readonly<Record<Profile, Client>>,
  ) {}

  static async start(scratch: ScratchDatabase, options: Options = {}): Promise<ProfileClients> {
    const clients: Partial<Record<Profile, Client>> = {}
    for (const profile of PROFILES) clients[profile] = await Client.start(scratch, { ...options, profile })
    return new ProfileClients(scratch, clients as Record<Profile, Client>)
  }

  get standard(): Client {
    return this.clients.standard
  }

  get toncenter(): Client {
    return this.clients.toncenter
  }

  of(profile: Profile): Client {
    return this.clients[profile]
  }

  all(): readonly Client[] {
    return Object.values(this.clients)
  }

  async close(): Promise<void> {
    for (const client of this.all()) await client.close()
    await this.scratch.close()
  }
}
