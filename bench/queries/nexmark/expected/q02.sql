SELECT auction, price, ts FROM bid WHERE auction - 123 * (auction // 123) = 0
