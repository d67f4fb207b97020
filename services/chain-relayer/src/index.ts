import { chainRelayerApi } from '@carapace/api'
import { defineService } from '@carapace/service'
import { custodySeed } from './configuration.ts'
import { openCustody } from './custody/custody.ts'
import { http } from './http.ts'
import { openOutcomes } from './inbound/outcomes.ts'
import { openCollections } from './lane/collections.ts'
import { commandStates } from './lane/command-states.ts'
import { transactionStates } from './lane/transaction-states.ts'
import { laneMetrics } from './lane-metrics.ts'
import { openLanes } from './lanes.ts'
import { openNetworks } from './networks.ts'
import { openOperator } from './outbound/operator.ts'

export { loadSeed } from './custody/keystore.ts'

/** Signs and orders the transactions of every network; nothing else holds a key. */
export const chainRelayer = defineService({
  api: chainRelayerApi,
  states: [commandStates, transactionStates],
  stores: async platform => {
    const db = await openCollections(platform.db)
    const isNew = (await db.seeds.findOne({ _id: 'seed' })) === null
    const custody = await openCustody(await custodySeed(platform.config, isNew), db.wallets, db.seeds)
    const networks = await openNetworks(platform, db, custody)
    const lanes = openLanes(networks)
    laneMetrics(platform.metrics, lanes, networks)
    const outcomes = openOutcomes(db, networks, platform.clock)
    return { custody, networks, lanes, outcomes, records: db, operator: openOperator(db, platform.emit) }
  },
  http,
  started: async ({ lanes, bus, mayPublish }) => {
    lanes.start(bus, mayPublish)
    return lanes
  },
})
