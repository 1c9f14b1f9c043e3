SELECT auction, bidder, price, channel, url, strftime(ts, '%Y-%m-%d'), strftime(ts, '%H:%M'), ts FROM bid
