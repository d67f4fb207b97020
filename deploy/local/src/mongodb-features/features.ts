/** What of MongoDB a place in a source uses. */
export interface Use {
  feature: string
  file: string
}

interface Feature {
  kind: 'operators of queries' | 'operators of updates' | 'stages and operators of aggregations' | 'kinds and options of indexes' | 'calls'
  /** The first version of MongoDB that has it. */
  since: string
}

const all = (kind: Feature['kind'], since: string, names: string): [string, Feature][] => names.split(' ').map(name => [name, { kind, since }])

/** From the version history of MongoDB's manual. A name that is not in it fails the test: its version has to be found. */
export const knownFeatures: ReadonlyMap<string, Feature> = new Map([
  ...all('operators of queries', '2.6', '$in $nin $lt $lte $gt $gte $ne $or $and $not $exists $type $elemMatch'),
  ...all('operators of updates', '2.6', '$set $unset $inc $max $min $setOnInsert $push $pull $addToSet $each $slice'),
  ...all('stages and operators of aggregations', '3.2', '$match $group $sum $sort $limit $project $unwind $cond $ifNull $literal $add $first'),
  ...all('stages and operators of aggregations', '4.4', '$unionWith'),
  ...all('kinds and options of indexes', '3.2', 'unique sparse expireAfterSeconds partialFilterExpression'),
  ...all('calls', '3.6', 'find findOne insertOne insertMany replaceOne updateOne updateMany deleteOne deleteMany bulkWrite findOneAndUpdate'),
  ...all('calls', '3.6', 'aggregate distinct countDocuments estimatedDocumentCount createIndexes'),
  // of a replica set or a sharded cluster; collections are made inside of them
  ...all('calls', '4.4', 'startSession'),
])

const operator = /['"{,\s](\$[a-z][A-Za-z]+)['"]?\s*[:,}]/g
const index = /\b(unique|sparse|expireAfterSeconds|partialFilterExpression):/g
const call =
  /\.(find|findOne|insertOne|insertMany|replaceOne|updateOne|updateMany|deleteOne|deleteMany|bulkWrite|findOneAnd\w+|aggregate|distinct|countDocuments|estimatedDocumentCount|createIndexe?s?|startSession|watch)(?:<[^()]*>)?\(/g

/** Keys that look like operators: of JSON Schema, and of the messages of A2A. */
const notMongo: ReadonlySet<string> = new Set(['$schema', '$case'])

/** What of MongoDB a source uses. A quoted `'$name'` that is no key is a field of a document, as aggregations write it. */
export function usesIn(file: string, source: string): Use[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
  const fields = new Set([...code.matchAll(/'(\$[a-z][A-Za-z]+)'(?!\s*[:\]])/g)].map(([, name]) => name!))
  const operators = [...code.matchAll(operator)]
    .map(([, name]) => name!)
    .filter(name => knownFeatures.has(name) || (!fields.has(name) && !notMongo.has(name)))
  const indexes = [...code.matchAll(index)].map(([, name]) => name!)
  const calls = [...code.matchAll(call)].map(([, name]) => name!)
  return [...new Set([...operators, ...indexes, ...calls])].map(feature => ({ feature, file }))
}

/** The table of a manual, in Markdown. */
export function featureTable(uses: readonly Use[]): string {
  const names = [...new Set(uses.map(({ feature }) => feature))].filter(name => knownFeatures.has(name)).toSorted()
  const rowOf = (name: string): string => `${knownFeatures.get(name)!.kind}|${knownFeatures.get(name)!.since}`
  const lines = [...new Set(names.map(rowOf))].toSorted().map(row => {
    const [kind, since] = row.split('|')
    const list = names.filter(name => rowOf(name) === row)
    return `| ${kind} | ${list.map(name => `\`${name}\``).join(' ')} | ${since} |`
  })
  return ['| What is used | Names | Since |', '|---|---|---|', ...lines].join('\n')
}

/** The first version that has all of it. */
export const leastVersion = (uses: readonly Use[]): string =>
  uses.map(({ feature }) => knownFeatures.get(feature)?.since ?? '0').reduce((least, since) => (Number(since) > Number(least) ? since : least), '0')
