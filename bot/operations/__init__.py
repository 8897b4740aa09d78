"""What an operator needs: status, retrying deliveries, notices."""
