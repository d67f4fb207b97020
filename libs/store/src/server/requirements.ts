/** What a server says of itself in answer to `hello`. */
export interface Hello {
  /** Of a replica set. */
  setName?: string
  /** `isdbgrid` of a router of a sharded cluster. */
  msg?: string
  /** Member of a replica set that is yet to be initiated. */
  isreplicaset?: boolean
  maxWireVersion?: number
}

/** The first version of MongoDB that has what the stores use (docs/operate.md lists it); it is known by its wire version. */
export const leastServer = { version: '4.4', wireVersion: 9 } as const

/** What the stores need and this server lacks, as a text for its operator; undefined when it lacks nothing. */
export function serverFault({ setName, msg, isreplicaset, maxWireVersion = 0 }: Hello): string | undefined {
  if (maxWireVersion < leastServer.wireVersion)
    return `this MongoDB is too old (wire version ${maxWireVersion}): the stages $unionWith, and collections made in transactions, need ${leastServer.version} or later`
  if (setName === undefined && msg !== 'isdbgrid' && !isreplicaset)
    return 'this MongoDB has no transactions: it must be a replica set (of one is enough: mongod --replSet rs0, then rs.initiate()) or a sharded cluster'
  return undefined
}
