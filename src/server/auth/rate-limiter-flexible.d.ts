/**
 * The package (11.4.0) ships types for its main entry alone. That entry loads the limiters of every
 * store, and does not export the base class that our limiter extends, although the types say that
 * it does. The files under `lib` have no types of their own, so those that we import are declared
 * here.
 */
declare module 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js' {
  export { RateLimiterStoreAbstract as default } from 'rate-limiter-flexible';
}
declare module 'rate-limiter-flexible/lib/RateLimiterRes.js' {
  export { RateLimiterRes as default } from 'rate-limiter-flexible';
}
declare module 'rate-limiter-flexible/lib/RateLimiterRedis.js' {
  export { RateLimiterRedis as default } from 'rate-limiter-flexible';
}
