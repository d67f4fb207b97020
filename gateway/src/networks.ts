import type { KnownNetwork } from '@carapace/chain'

/** Both networks. @throws DEPENDENCY_UNAVAILABLE while nobody knows them yet */
export type NetworkSource = () => Promise<readonly KnownNetwork[]>
