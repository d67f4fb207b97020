/** A refusal in MongoDB's terms: the numeric code and additional fields of the reply. */
export class MongoError extends Error {
  readonly code: number
  readonly codeName: string
  readonly labels: string[]
  readonly extra: Record<string, unknown>

  constructor(code: number, message: string, extra: Record<string, unknown> = {}, labels: string[] = []) {
    super(message)
    this.code = code
    this.codeName = codeNames[code] ?? `Location${code}`
    this.labels = labels
    this.extra = extra
  }
}

/** MongoDB's names of the error codes that this engine, or a fail point set by a test, can answer. */
export const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  4: 'NoSuchKey',
  6: 'HostUnreachable',
  7: 'HostNotFound',
  8: 'UnknownError',
  9: 'FailedToParse',
  10: 'CannotMutateObject',
  11: 'UserNotFound',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  17: 'ProtocolError',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  24: 'LockTimeout',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  31: 'RoleNotFound',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  47: 'NoMatchingDocument',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  63: 'StaleShardVersion',
  64: 'WriteConcernFailed',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  68: 'IndexAlreadyExists',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  79: 'UnknownReplWriteConcern',
  82: 'NoProgressMade',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  89: 'NetworkTimeout',
  91: 'ShutdownInProgress',
  96: 'OperationFailed',
  100: 'UnsatisfiableWriteConcern',
  107: 'LockFailed',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  117: 'ConflictingOperationInProgress',
  121: 'DocumentValidationFailure',
  125: 'CommandFailed',
  133: 'FailedToSatisfyReadPreference',
  134: 'ReadConcernMajorityNotAvailableYet',
  136: 'CappedPositionLost',
  146: 'ExceededMemoryLimit',
  150: 'StaleEpoch',
  165: 'ViewDepthLimitExceeded',
  166: 'CommandNotSupportedOnView',
  175: 'QueryPlanKilled',
  167: 'OptionNotSupportedOnView',
  168: 'InvalidPipelineOperator',
  181: 'AmbiguousIndexKeyPattern',
  189: 'PrimarySteppedDown',
  197: 'InvalidIndexSpecificationOption',
  206: 'NoSuchSession',
  216: 'ElectionInProgress',
  217: 'IncompleteTransactionHistory',
  222: 'CloseChangeStream',
  224: 'QueryFeatureNotAllowed',
  225: 'TransactionTooOld',
  237: 'CursorKilled',
  238: 'NotImplemented',
  234: 'RetryChangeStream',
  239: 'SnapshotTooOld',
  241: 'ConversionFailure',
  244: 'TransactionAborted',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  257: 'TransactionTooLarge',
  260: 'InvalidResumeToken',
  262: 'ExceededTimeLimit',
  263: 'OperationNotSupportedInTransaction',
  267: 'PreparedTransactionInProgress',
  279: 'ClientDisconnect',
  280: 'ChangeStreamFatalError',
  286: 'ChangeStreamHistoryLost',
  291: 'NoQueryExecutionPlans',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  303: 'APIMismatchError',
  322: 'APIVersionError',
  323: 'APIStrictError',
  334: 'UnsupportedShardingEventNotification',
  352: 'UnsupportedOpQueryCommand',
  359: 'CannotConvertIndexToUnique',
  391: 'ReauthenticationRequired',
  9001: 'SocketException',
  10003: 'CannotGrowDocumentInCappedNamespace',
  10107: 'NotWritablePrimary',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  11602: 'InterruptedDueToReplStateChange',
  13388: 'StaleConfig',
  13435: 'NotPrimaryNoSecondaryOk',
  13436: 'NotPrimaryOrSecondary',
  14031: 'OutOfDiskSpace',
}

/**
 * Refuses the command with a MongoDB error code; `extra` is copied into the reply (for example `keyPattern`).
 * @example fail(14, `Cannot apply $inc to a value of non-numeric type`)
 */
export function fail(code: number, message: string, extra?: Record<string, unknown>): never {
  throw new MongoError(code, message, extra)
}

/** Refuses with 112 WriteConflict and the label that lets the driver try the whole transaction again. */
export function failConflict(message = 'Write conflict during plan execution and yielding is disabled.'): never {
  throw new MongoError(112, message, {}, ['TransientTransactionError'])
}

/** What has a time limit did not end within it. */
export const outOfTime = (): MongoError => new MongoError(50, 'operation exceeded time limit')
