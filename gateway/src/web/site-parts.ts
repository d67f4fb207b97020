import type { Platform } from '@carapace/service'
import type { NetworkSource } from '../networks.ts'
import type { Pages } from './answer.ts'

/** What pages are made of: the reads of the services, and the way they are answered. */
export interface SiteParts extends Pick<Platform, 'peers' | 'clock'> {
  pages: Pages
  networks: NetworkSource
  publicBaseUrl: string
  mode: 'plain' | 'signed'
  /** Test money and practice wallets are to be had. */
  isSandbox(): Promise<boolean>
}
